/** Whether a host, as a URL or a setting has it, is this machine: `localhost`, `127.x.x.x`, `::1`, `[::1]`. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host);
}
