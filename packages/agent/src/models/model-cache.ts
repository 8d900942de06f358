import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const listingSchema = z.object({
  scope: z.string(),
  /** When it was asked for, epoch ms. */
  atMs: z.number(),
  ids: z.array(z.string()).min(1),
});
const cacheSchema = z.object({ version: z.literal(1), listings: z.record(z.string(), listingSchema) });

/** A listing as it was once answered. */
export type CachedListing = Readonly<z.output<typeof listingSchema>>;

/** Listings by provider, kept from one run to the next (M4). */
export interface ModelCache {
  /** None where there are none yet, or none that can be read: they can be asked for again. */
  read(): Promise<Readonly<Record<string, CachedListing>>>;
  /** Replaces all of them at once. */
  write(listings: Readonly<Record<string, CachedListing>>): Promise<void>;
}

/** A cache in one file, which is replaced as a whole: of two writers the later one stays. */
export function createModelCache(file: string): ModelCache {
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch(() => '');
      const parsed = cacheSchema.safeParse(parseJson(text));
      return parsed.success ? parsed.data.listings : {};
    },
    async write(listings) {
      await mkdir(path.dirname(file), { recursive: true });
      const temporary = `${file}.${crypto.randomUUID()}`;
      try {
        await writeFile(temporary, `${JSON.stringify({ version: 1, listings })}\n`, { mode: 0o600 });
        await rename(temporary, file);
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
