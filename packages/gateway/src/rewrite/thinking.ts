import {
  applyEdits,
  type Edit,
  findMember,
  type MessagesOutline,
  setMember,
  type Span,
  WireError,
} from '@quartermaster/wire';

/** The beta without which the control is refused. */
export const thinkingBindingBeta = 'thinking-binding-controls-2026-08-01';

const binding = 'block_binding';
const behavior = 'prefix_mismatch_behavior';
const dropBlock = '"drop_block"';

/**
 * The body with the control that drops thinking blocks which fit another prefix, spliced into the client's own
 * `thinking` (RF4). `undefined` where the client has set it itself, or does not say how the model is to think.
 */
export function withDroppedThinking(text: string, { span }: MessagesOutline): string | undefined {
  try {
    return dropThinking(text, span);
  } catch (error) {
    // A key that stands twice: what the provider makes of it nobody can know (RW8).
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function dropThinking(text: string, span: Span): string | undefined {
  const thinking = objectAt(findMember(span, text, 'thinking'), text);
  if (thinking === undefined) return undefined;
  const stated = findMember(thinking, text, binding);
  const steered = objectAt(stated, text);
  if (steered === undefined)
    return apply(text, setMember(thinking, text, binding, `{"${behavior}":${dropBlock}}`));
  const value = findMember(steered, text, behavior);
  if (value !== undefined && text.slice(value.start, value.end) === dropBlock) return undefined;
  return apply(text, setMember(steered, text, behavior, dropBlock));
}

function apply(text: string, edit: Edit): string {
  return applyEdits(text, [edit]);
}

function objectAt(span: Span | undefined, text: string): Span | undefined {
  return span !== undefined && text[span.start] === '{' ? span : undefined;
}
