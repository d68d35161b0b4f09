import { Server } from 'node:net';

/** Loaded before a foreign program that listens on every address of the machine: it then listens on 127.0.0.1. */
const listen = Server.prototype.listen;
Server.prototype.listen = function onLoopback(this: Server, ...parameters: unknown[]) {
  const callback = parameters.find((parameter) => typeof parameter === 'function');
  return Reflect.apply(listen, this, [parameters[0], '127.0.0.1', callback]);
} as typeof listen;
