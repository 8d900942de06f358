import { statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createHistoryStore } from '../history.ts';
import { createKnowledgeStore } from '../knowledge.ts';
import { createMemoryStore } from '../memory.ts';
import { createLedgerStore } from '../ledger.ts';
import { createOpeningStore } from '../openings.ts';
import { createOptOutStore } from '../opt-outs.ts';
import { createPlanStore } from '../plans.ts';
import { readSalt } from '../salt.ts';
import { createSearchTurnStore } from '../search-turns.ts';
import { createSettingsStore } from '../settings.ts';
import type { Store } from '../store.ts';
import { createSessionTaskStore } from '../tasks.ts';
import { createThreadStore } from '../threads.ts';
import { createTurnOffStore } from '../turn-offs.ts';
import { createVerdictStore } from '../verdicts.ts';
import { openSqliteDatabase } from './database.ts';
import { prepareFolder, requireFile } from './folder.ts';
import type { FileSystemType } from './folder.ts';
import { sqliteFullText } from './full-text.ts';
import type { Access, Durability } from './messages.ts';

/** The store's file in its folder. */
export const sqliteFileName = 'quartermaster.db';

/** What `openSqliteStore` is made of. */
export interface SqliteStoreOptions {
  /** Made with its parents where it is missing, for its owner only. */
  readonly folder: string;
  /** Of the thread records; everything else is always `normal`. Default `normal`. */
  readonly durability?: Durability;
  /** `read` looks at a store that another process may be writing: it creates and changes nothing. Default `write`. */
  readonly access?: Access;
  /** Epoch ms; deadlines are held against it on this side, and against the machine's clock in the statement. */
  readonly clock: { now(): number };
  /** Default: statfs(2) of the folder. */
  readonly fileSystemType?: FileSystemType;
}

/**
 * Opens or creates the SQLite store in `folder`; several processes of one machine may have it open. Rejects with
 * `StoreError` where the folder or its file can't be used, and then leaves an existing file as it is (RS2).
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { durability = 'normal', access = 'write', clock, fileSystemType = linuxFileSystemType } = options;
  const file = join(resolve(options.folder), sqliteFileName);
  await (access === 'write' ? prepareFolder : requireFile)(file, fileSystemType);
  const database = await openSqliteDatabase({ file, access, clock });
  const normal = database.connection('normal');
  return {
    location: file,
    salt: await readSalt(normal),
    threads: createThreadStore(database.connection(durability), { clock }),
    openings: createOpeningStore(normal),
    searchTurns: createSearchTurnStore(database.connection(durability)),
    plans: createPlanStore(normal),
    history: createHistoryStore(normal),
    verdicts: createVerdictStore(normal),
    knowledge: createKnowledgeStore(normal, sqliteFullText),
    memory: createMemoryStore(normal, sqliteFullText),
    tasks: createSessionTaskStore(normal),
    ledger: createLedgerStore(normal),
    turnOffs: createTurnOffStore(normal),
    optOuts: createOptOutStore(normal),
    settings: createSettingsStore(normal),
    close: () => database.close(),
  };
}

async function linuxFileSystemType(folder: string): Promise<number> {
  return (await statfs(folder)).type;
}
