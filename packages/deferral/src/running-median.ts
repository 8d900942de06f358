/** The median of the newest samples (LE2). */
export interface RunningMedian {
  add(sample: number): void;
  /** `undefined` before the first sample. */
  median(): number | undefined;
}

/** Keeps the newest `size` samples. */
export function createRunningMedian(size: number): RunningMedian {
  const samples: number[] = [];
  return {
    add(sample) {
      samples.push(sample);
      if (samples.length > size) samples.shift();
    },
    median() {
      const sorted = samples.toSorted((left, right) => left - right);
      const middle = sorted.length / 2;
      const upper = sorted[Math.floor(middle)];
      const lower = sorted[Math.ceil(middle) - 1];
      return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
    },
  };
}
