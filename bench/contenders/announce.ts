import type http from 'node:http';
import process from 'node:process';

/** Listens on a free port of 127.0.0.1 and prints it as the first line: the sign that a contender is ready. */
export function announce(server: http.Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`);
  });
}
