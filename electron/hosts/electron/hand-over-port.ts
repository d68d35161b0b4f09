import { type IpcMainEvent, ipcMain, MessageChannelMain } from 'electron';
import type { MainPort } from './port-channel.ts';
import { pageOrigin } from './protocol.ts';

/** Gives each page of ours that asks one port to the core, as soon as the core is there. */
export function handOverPorts(serve: Promise<(port: MainPort) => void>): void {
  ipcMain.on('portico:ask', (event) => {
    if (!isOwnPage(event)) return;
    serve.then(
      (servePort) => {
        if (event.sender.isDestroyed()) return;
        const { port1, port2 } = new MessageChannelMain();
        servePort(port1);
        event.senderFrame?.postMessage('portico:port', null, [port2]);
      },
      () => {
        // The core could not be opened: main.ts has told the user and is ending the program.
      },
    );
  });
}

/** The main frame of our own page, and of no other (security page, rule 9). */
function isOwnPage({ senderFrame, sender }: IpcMainEvent): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === pageOrigin;
}
