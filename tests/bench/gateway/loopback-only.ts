import { Server } from 'node:net';

/**
 * This file is loaded before a foreign program that listens on every address of the machine. It makes the
 * program listen on 127.0.0.1 only.
 */
const listen = Server.prototype.listen;
Server.prototype.listen = function onLoopback(this: Server, ...parameters: unknown[]) {
  const callback = parameters.find((parameter) => typeof parameter === 'function');
  return Reflect.apply(listen, this, [parameters[0], '127.0.0.1', callback]);
} as typeof listen;
