import { MessageChannel } from 'node:worker_threads';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import type { MessagePortMain } from 'electron';
import { expect, onTestFinished, test } from 'vitest';
import { coreHost, mainProcess } from './core-host.ts';
import { mainContract } from './main-contract.ts';

const facts = { version: '1.0.0', platform: 'linux', ownTitleBar: true } as const;

/** Creates a main process that prints a page when the test lets it. `asked` resolves when it was asked to print. */
function printing() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => {
    port1.close();
    port2.close();
  });
  const [asked, printed] = [Promise.withResolvers<void>(), Promise.withResolvers<Blob>()];
  const print = implement(mainContract).printPdf.handler(() => {
    asked.resolve();
    return printed.promise;
  });
  new RPCHandler({ printPdf: print }).upgrade(port1, { context: {} });
  port1.start();
  const { output } = coreHost(mainProcess(port2 as unknown as MessagePortMain), facts);
  if (output.kind !== 'dialog') throw new Error('it asks where to save');
  return { asked: asked.promise, printed, printPdf: output.printPdf };
}

test('a page is printed by the main process, and a cancelled export is reported as cancelled', async () => {
  const { asked, printed, printPdf } = printing();
  const giveUp = new AbortController();
  const given = printPdf('<p>one</p>', giveUp.signal);
  const refused = expect(given).rejects.toMatchObject({ code: 'cancelled', refusal: { name: 'exportGivenUp' } });
  await asked;
  giveUp.abort();
  await refused;
  printed.resolve(new Blob(['%PDF']));
  const pdf = await printPdf('<p>two</p>', new AbortController().signal);
  expect(Buffer.from(pdf).toString()).toBe('%PDF');
});

test('a failure of the main process is not reported as cancelled', async () => {
  const { asked, printed, printPdf } = printing();
  const failed = expect(printPdf('<p>one</p>', new AbortController().signal)).rejects;
  await asked;
  printed.reject(new Error('no printer'));
  await failed.not.toHaveProperty('code', 'cancelled');
});
