import { createGatewayClient } from '../gateway-client.ts';
import type { Surroundings } from '../surroundings.ts';
import { type Account, noteOfMemory, readAccount } from './account.ts';
import type { CommandOptions } from './setting-flags.ts';

/** `qm keep TOOL` and `qm remove TOOL`: puts a tool, or a whole server, on a list of the account or takes it off. */
export async function runToolList(
  list: 'keep' | 'remove',
  tool: string,
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const isUndone = options['undo'] === true;
  const client = createGatewayClient(options, surroundings);
  const change = { toolfilter: { [list]: isUndone ? { delete: [tool] } : { add: [tool] } } };
  const account = readAccount(await client.ask('PATCH', '/api/v1/account', change));
  const { out } = surroundings;
  if (options['json'] === true) {
    out.write(`${JSON.stringify({ [list]: account.toolfilter[list] })}\n`);
    return;
  }
  out.write(
    `${sayWhatHolds(list, tool, isUndone)}${hintOf(list, isUndone, account)}\n${noteOfMemory(account)}`,
  );
}

function sayWhatHolds(list: 'keep' | 'remove', tool: string, isUndone: boolean): string {
  if (list === 'keep') {
    return isUndone
      ? `${tool} is no longer kept: new conversations may defer it.`
      : `${tool} is kept: new conversations never defer it.`;
  }
  return isUndone
    ? `${tool} is no longer removed: new conversations have it.`
    : `${tool} is removed: new conversations leave it out.`;
}

/** Only two presets remove anything. */
function hintOf(list: 'keep' | 'remove', isUndone: boolean, { preset }: Account): string {
  if (list === 'keep' || isUndone || preset === 'xhigh' || preset === 'ultrahigh') return '';
  return ` That takes the preset xhigh or ultrahigh; it is ${preset} now.`;
}
