import { extname, join } from 'node:path';
import { app, dialog } from 'electron';
import { chatsFile } from '#shared/chats-file.ts';
import { mainWindow } from './windows/window.ts';

const kinds: Readonly<Record<string, string>> = {
  md: 'Markdown',
  html: 'HTML',
  json: 'JSON',
  pdf: 'PDF',
  [chatsFile.ending]: 'Portico',
};

/** The system’s save dialog; null if cancelled. */
export async function askWhere(name: string): Promise<string | null> {
  const ending = extname(name).slice(1);
  const options: Electron.SaveDialogOptions = {
    defaultPath: join(app.getPath('downloads'), name),
    filters: [{ name: kinds[ending] ?? ending, extensions: [ending] }],
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  };
  const window = mainWindow();
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options));
  return canceled || !filePath ? null : filePath;
}
