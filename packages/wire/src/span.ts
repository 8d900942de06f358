/** Half-open range `[start, end)` of characters in a latin1 view of a body: one character is one byte. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
