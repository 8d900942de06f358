/** The machine and the process that hold sessions. */
export interface OwnerHost {
  readonly host: string;
  /** Changes with each start of the machine, and in each space of process numbers; empty where unknown. */
  readonly boot: string;
  readonly pid: number;
  /**
   * When the process of that number started, in a form of the machine's own: empty where it runs and nobody can say,
   * `undefined` where none runs.
   */
  readonly startTimeOf: (pid: number) => string | undefined;
}

/** Names a holder of turns so that another process can find out whether it is gone: `host:boot:pid:start:instance`. */
export function formatOwner({ pid, startTimeOf, ...machine }: OwnerHost, instance: string): string {
  return `${formatMachine(machine)}:${pid}:${startTimeOf(pid) ?? ''}:${encodeURIComponent(instance)}`;
}

/** No field holds a colon of its own. */
function formatMachine({ host, boot }: Pick<OwnerHost, 'host' | 'boot'>): string {
  return `${encodeURIComponent(host)}:${encodeURIComponent(boot)}`;
}

/**
 * Whether that holder certainly lives no more: it was on this machine since its last start, and its process is gone or
 * its number has been given to another. Whatever can't be told is not gone.
 */
export function isOwnerGone(owner: string, host: OwnerHost): boolean {
  const machine = `${formatMachine(host)}:`;
  const [pid, startTime, instance] = owner.slice(machine.length).split(':');
  if (!owner.startsWith(machine) || instance === undefined) return false;
  const running = host.startTimeOf(Number(pid));
  if (running === undefined) return true;
  return running !== '' && startTime !== '' && running !== startTime;
}
