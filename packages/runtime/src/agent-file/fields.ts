import { z } from 'zod';

/** A text with at least one letter or sign in it. */
export function text(error: string): z.ZodString {
  return z.string({ error }).regex(/\S/, { error });
}

/** A whole number from 1. */
export function count(error: string): z.ZodInt {
  return z.int({ error }).min(1, { error });
}
