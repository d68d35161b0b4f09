import { type IpcMainEvent, ipcMain, MessageChannelMain } from 'electron';
import type { CoreRunner } from './core-process/core-runner.ts';
import { pageOrigin } from './protocol.ts';

/** Gives our page a port to the core as soon as the core is open. Messages on it don't pass through this process. */
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

/** Whether the sender is the main frame of our page (security page, rule 9). */
function isOwnPage({ senderFrame, sender }: IpcMainEvent): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === pageOrigin;
}
