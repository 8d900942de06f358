import type { Model } from '@quartermaster/catalog';
import type { ModelRequest } from '../language-model.ts';

/** How a model of OpenAI thinks. */
export interface OpenAiReasoning {
  /** Whether it thinks at all; such a model takes no temperature. */
  readonly thinks: boolean;
  /** The efforts that it takes, the least first; none where none can be asked for. */
  readonly efforts: readonly Effort[];
}

type Effort = (typeof ladder)[number];

/** From not thinking at all. */
const ladder = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const common = ['low', 'medium', 'high'] as const;

/**
 * What the catalog says of the model. One that it does not know is read off its id: `o3`, `gpt-5-nano`, `gpt-7`;
 * `gpt-5-chat-latest` and what came before do not think, and other vendors' models are taken to allow an effort.
 */
export function reasoningOf(id: string, known: Model | undefined): OpenAiReasoning {
  if (known !== undefined) {
    const efforts = ladder.filter((effort) => known.capabilities.efforts.includes(effort));
    return { thinks: efforts.length > 0, efforts };
  }
  if (/^o\d/.test(id)) return { thinks: true, efforts: common };
  if (!/^(?:chat)?gpt-/.test(id)) return { thinks: false, efforts: common };
  const version = Number(/^gpt-(\d+(?:\.\d+)?)/.exec(id)?.[1] ?? 0);
  if (version < 5 || id.includes('-chat')) return { thinks: false, efforts: [] };
  return { thinks: true, efforts: [version > 5 ? 'none' : 'minimal', ...common] };
}

/** The effort to ask for: what is wanted, or the next that the model takes; `undefined` leaves it to the model. */
export function effortOf(
  reasoning: ModelRequest['reasoning'],
  { thinks, efforts }: OpenAiReasoning,
): Effort | undefined {
  if (reasoning === undefined || (reasoning === 'off' && !thinks)) return undefined;
  const wanted = reasoning === 'off' ? 0 : ladder.indexOf(reasoning);
  return efforts.find((effort) => ladder.indexOf(effort) >= wanted) ?? efforts.at(-1);
}
