import type { SettingsStore } from '@quartermaster/store';
import { GatewayError, nameOf } from '../errors.ts';
import type { Clock, Log, Preset } from '../options.ts';
import {
  type AccountSettings,
  applyChange,
  parseOverrides,
  type SettingsChange,
  type SettingsOverrides,
  withOverrides,
} from './settings.ts';

/** What each account has set, in memory; a change is in the store before it counts. */
export interface Accounts {
  /** Reads what the tenant has set; until then the defaults hold. Never rejects: what can't be read is logged. */
  load(tenant: string): Promise<void>;
  /** What is in force for new threads. */
  settingsOf(tenant: string): AccountSettings;
  /** Answers what is in force then. Rejects with `GATEWAY_STORE_FAILED`, and nothing has changed. */
  change(tenant: string, change: SettingsChange): Promise<AccountSettings>;
  /** Reads again what other processes on the same store may have changed. */
  refresh(): Promise<void>;
}

/** What accounts are made of. */
export interface AccountsOptions {
  /** `undefined`: changes hold until the process ends. */
  readonly store: SettingsStore | undefined;
  /** What holds where the account has set nothing. */
  readonly defaults: AccountSettings;
  /** Named at this start: holds for every account over what it has set before, until it sets a preset anew. */
  readonly presetOfStart: Preset | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface AccountState {
  /** The stored text, to which a change must refer. */
  text: string | undefined;
  overrides: SettingsOverrides;
  presetOfStart: Preset | undefined;
}

/** Another writer can be first a few times, but not for ever. */
const maxTries = 5;

/** Every account holds the defaults until it is loaded. Changes are made one after the other. */
export function createAccounts({ store, defaults, presetOfStart, clock, log }: AccountsOptions): Accounts {
  const accounts = new Map<string, AccountState>();
  let underWay: Promise<unknown> = Promise.resolve();

  function stateOf(tenant: string): AccountState {
    const state = accounts.get(tenant) ?? { text: undefined, overrides: {}, presetOfStart };
    accounts.set(tenant, state);
    return state;
  }

  function settingsOf(tenant: string): AccountSettings {
    const { overrides, presetOfStart: named } = accounts.get(tenant) ?? { overrides: {}, presetOfStart };
    const settings = withOverrides(defaults, overrides);
    return named === undefined ? settings : { ...settings, preset: named };
  }

  async function read(tenant: string): Promise<void> {
    const state = stateOf(tenant);
    const text = (await store?.read(tenant))?.settings;
    if (text === undefined || text === state.text) return;
    const overrides = parseOverrides(text);
    if (overrides === undefined) log.error({}, 'stored settings could not be understood; the defaults hold');
    const isFirst = state.text === undefined;
    // A command that another process took is newer than the start of this one.
    if (!isFirst && overrides?.preset !== state.overrides.preset) state.presetOfStart = undefined;
    state.text = text;
    state.overrides = overrides ?? {};
  }

  async function readOrLog(tenant: string, level: 'warn' | 'debug'): Promise<void> {
    await read(tenant).catch((error: unknown) => {
      const facts = { error: nameOf(error) };
      log[level](facts, 'settings could not be read; those known so far hold, and it will be tried again');
    });
  }

  async function write(tenant: string, change: SettingsChange): Promise<void> {
    const state = stateOf(tenant);
    for (let tries = 0; tries < maxTries; tries += 1) {
      await read(tenant);
      const overrides = applyChange(state.overrides, change, settingsOf(tenant));
      const record = { tenant, settings: JSON.stringify(overrides), changedAtMs: clock.now() };
      if (store === undefined || (await store.replace(record, state.text))) {
        Object.assign(state, { text: record.settings, overrides });
        if (change.preset !== undefined) state.presetOfStart = undefined;
        return;
      }
    }
    throw new Error(`another writer was first ${maxTries} times`);
  }

  async function writeOrExplain(tenant: string, change: SettingsChange): Promise<AccountSettings> {
    try {
      await write(tenant, change);
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      const reason = cause instanceof Error ? cause.message : 'an unknown fault';
      throw new GatewayError('GATEWAY_STORE_FAILED', `the settings could not be stored: ${reason}`, {
        cause,
      });
    }
    return settingsOf(tenant);
  }

  return {
    load: (tenant) => readOrLog(tenant, 'warn'),
    settingsOf,
    change(tenant, change) {
      const changed = underWay.then(() => writeOrExplain(tenant, change));
      underWay = changed.catch(() => undefined); // its caller is told
      return changed;
    },
    async refresh() {
      for (const tenant of accounts.keys()) await readOrLog(tenant, 'debug');
    },
  };
}
