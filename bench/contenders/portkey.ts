import net from 'node:net';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/**
 * Portkey's gateway on a free port of 127.0.0.1; by itself it listens on every interface. Argument: its start file.
 */
const [startFile] = process.argv.slice(2);
const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function listenOnLoopback(this: net.Server) {
  return listen.call(this, { port: 0, host: '127.0.0.1' }, () => {
    const address = this.address();
    if (typeof address === 'object' && address !== null) process.stdout.write(`\n${address.port}\n`);
  });
};

process.argv.push('--headless');
if (startFile !== undefined) await import(pathToFileURL(startFile).href);
