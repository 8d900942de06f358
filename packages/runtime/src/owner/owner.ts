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
  startTimeOf(pid: number): string | undefined;
}

/** Names a holder of turns so that another process can find out whether it is gone: `host:boot:pid:start:instance`. */
export function formatOwner(host: OwnerHost, instance: string): string {
  const fields = [host.host, host.boot, host.pid, host.startTimeOf(host.pid) ?? '', instance];
  return fields.map((field) => encodeURIComponent(field)).join(':');
}

/**
 * Whether that holder certainly lives no more: it was on this machine since its last start, and its process is gone or
 * its number has been given to another. Whatever can't be told is not gone.
 */
export function isOwnerGone(owner: string, host: OwnerHost): boolean {
  const [name, boot, pid, startTime, instance] = owner.split(':').map((field) => decodeURIComponent(field));
  if (instance === undefined || name !== host.host || boot !== host.boot) return false;
  const running = host.startTimeOf(Number(pid));
  if (running === undefined) return true;
  return running !== '' && startTime !== '' && running !== startTime;
}
