import { textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import type { Step } from '../../script.ts';
import { defaultThought } from '../../thought.ts';
import { unseal } from '../../seal.ts';
import { textOfContent } from '../content.ts';

/** What was thought in an output item, shown or not; empty for other items. */
export function thoughtOf(item: JsonObject, step: Step): string {
  if (item['type'] !== 'reasoning') return '';
  return (
    unseal(textOf(item['encrypted_content']) ?? '') ??
    (textOfContent(item['summary']) || (step.thinking ?? defaultThought))
  );
}
