import { z } from 'zod';

/** What `add_tool` takes. A name may come with the marks that people put around names. */
export const addToolInput = z.strictObject({
  name: z.string().min(1).transform(withoutMarks),
});

function withoutMarks(written: string): string {
  const name = written.trim();
  return /^(["'`])(.+)\1$/s.exec(name)?.[2] ?? name;
}
