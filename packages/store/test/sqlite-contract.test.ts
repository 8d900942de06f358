import { openSqliteStore } from '@quartermaster/store';
import type { Durability, Store } from '@quartermaster/store';
import { agentContract } from './agent-contract.ts';
import { storeContract } from './contract.ts';
import type { Engine } from './contract.ts';
import { ledgerContract } from './ledger-contract.ts';
import { sessionContract } from './session-contract.ts';
import { sessionCopyContract } from './session-copy-contract.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

async function createSqliteEngine(durability: Durability): Promise<Engine> {
  const folder = await createTemporaryFolder();
  const opened: Store[] = [];
  return {
    async open({ clock = Date } = {}) {
      const store = await openSqliteStore({ folder: folder.path, durability, clock });
      opened.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((store) => store.close()));
      await folder[Symbol.asyncDispose]();
    },
  };
}

storeContract('SQLite, normal', () => createSqliteEngine('normal'));
storeContract('SQLite, full', () => createSqliteEngine('full'));
agentContract('SQLite', () => createSqliteEngine('normal'));
sessionContract('SQLite', () => createSqliteEngine('normal'));
sessionCopyContract('SQLite', () => createSqliteEngine('normal'));
ledgerContract('SQLite', () => createSqliteEngine('normal'));
