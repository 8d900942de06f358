/** One server-sent event. `event` is `message` where the stream names none (the standard's default). */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** Takes chunks cut anywhere; hands out the events that each one completes. */
export interface SseDecoder {
  decode(chunk: Uint8Array): readonly SseEvent[];
  /**
   * Ends the stream: what is half-read is dropped, as the standard says, and the next chunk begins a new stream.
   * May be called twice.
   */
  end(): void;
  /** How many events were longer than `maxEventBytes` and are lost, over all streams. */
  readonly dropped: number;
}
