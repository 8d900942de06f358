/** One server-sent event. `event` is `message` where the stream names none (the standard's default). */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** Takes chunks cut anywhere; hands out the events that each one completes. */
export interface SseDecoder {
  decode(chunk: Uint8Array): readonly SseEvent[];
  /** Events that only the end of the stream completes: none, by the standard; call it to drop what is half-read. */
  end(): void;
}
