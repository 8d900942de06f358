/** What a refusal seems to be about, for the log: providers change their wording, so nothing is decided by it (RF2). */
export type RefusalLabel =
  | 'bound-thinking'
  | 'deferral'
  | 'system-message'
  | 'beta'
  | 'marks'
  | 'too-long'
  | 'other';

const labels: readonly (readonly [RefusalLabel, RegExp])[] = [
  ['bound-thinking', /bound to a different conversation|prefix_mismatch_behavior|block_binding/],
  ['deferral', /defer_loading|tool_search|[Tt]ool reference/],
  ['system-message', /mid_conv_system|messages\.\d+\.role/],
  ['beta', /anthropic-beta|beta header/],
  ['marks', /cache_control/],
  ['too-long', /prompt is too long|context limit/],
];

/** The first label whose words are in the text. */
export function labelOf(text: string): RefusalLabel {
  return labels.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}

/**
 * Whether a refusal may come from thinking blocks that fit another prefix (RF4). It errs toward yes: a needless third
 * send is refused like the second, and the client sees the second's answer.
 */
export function isAboutThinking(text: string): boolean {
  return /\bthinking\b|\bsignature\b/i.test(text);
}
