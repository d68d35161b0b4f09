import { type IpcMainEvent, ipcMain, MessageChannelMain } from 'electron';
import type { CoreRunner } from './core-process/core-runner.ts';
import { pageOrigin } from './protocol.ts';

/** Gives each page of ours that asks one port to the core, as soon as the core is there. What goes through it does not come here. */
export function handOverPorts(core: Promise<CoreRunner>): void {
  ipcMain.on('portico:ask', async (event) => {
    if (!isOwnPage(event)) return;
    const serve = await (await core).open();
    if (event.sender.isDestroyed()) return;
    const { port1, port2 } = new MessageChannelMain();
    serve(port1);
    event.senderFrame?.postMessage('portico:port', null, [port2]);
  });
}

/** The main frame of our own page, and of no other (security page, rule 9). */
function isOwnPage({ senderFrame, sender }: IpcMainEvent): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === pageOrigin;
}
