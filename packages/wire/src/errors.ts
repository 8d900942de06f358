import type { OutlineRefusal } from './outline.ts';

/**
 * `WIRE_EDITS_OVERLAP`: two edits claim the same character.
 * `WIRE_EDIT_OUT_OF_RANGE`: a span that does not lie in the text.
 * `WIRE_EDIT_NOT_LATIN1`: an edit's text holds a character that is not one byte.
 * `WIRE_VALUE_NOT_JSON`: a value that JSON cannot hold.
 * `WIRE_EVENT_NAME`: an event name that would end its own line.
 * `WIRE_BODY_REFUSED`: see {@link RefusedBody}.
 */
export type WireErrorCode =
  | 'WIRE_EDITS_OVERLAP'
  | 'WIRE_EDIT_OUT_OF_RANGE'
  | 'WIRE_EDIT_NOT_LATIN1'
  | 'WIRE_VALUE_NOT_JSON'
  | 'WIRE_EVENT_NAME'
  | 'WIRE_BODY_REFUSED';

/** What this package throws. Messages hold positions and sizes, never text of the body. */
export class WireError extends Error {
  override readonly name: string = 'WireError';
  readonly code: WireErrorCode;

  constructor(code: WireErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A text that can't be read as expected, from position `at` on; `outlineMessages` hands it out as a value. */
export class RefusedBody extends WireError {
  override readonly name: string = 'RefusedBody';
  readonly reason: OutlineRefusal;
  readonly at: number;

  constructor(reason: OutlineRefusal, at: number) {
    super('WIRE_BODY_REFUSED', `${expectations[reason]} at position ${at}; forward the body as it came.`);
    this.reason = reason;
    this.at = at;
  }
}

const expectations = {
  'not-json': 'Expected valid JSON, found something else',
  'duplicate-key': 'Expected each key once, found one for the second time',
  'unknown-shape': 'Expected a value of the shape that the API documents, found another',
} as const satisfies Record<OutlineRefusal, string>;
