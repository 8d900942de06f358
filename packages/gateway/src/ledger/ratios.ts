import type { Model } from '@quartermaster/catalog';
import { createRunningMedian, type RunningMedian } from '@quartermaster/deferral';

/** How many billed tokens one o200k token makes, by model (LE2): the running median of its own requests, else the table's. */
export interface Ratios {
  add(model: Model, sample: { readonly billedTokens: number; readonly o200k: number }): void;
  of(model: Model): number;
}

const keptSamples = 101;
/** Of a shorter prompt, what the API adds on its own is too large a part. */
const minO200k = 500;
/** What is outside is no ratio of a tokenizer but usage that means something else. */
const plausible = { least: 0.5, most: 4 };

/** Knows no requests yet: the table's ratios hold. */
export function createRatios(): Ratios {
  const medians = new Map<string, RunningMedian>();
  return {
    add(model, { billedTokens, o200k }) {
      const ratio = billedTokens / o200k;
      if (o200k < minO200k || ratio < plausible.least || ratio > plausible.most) return;
      const median = medians.get(model.id) ?? createRunningMedian(keptSamples);
      medians.set(model.id, median);
      median.add(ratio);
    },
    of: (model) => medians.get(model.id)?.median() ?? model.billedPerO200k,
  };
}
