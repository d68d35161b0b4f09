import { app, nativeTheme, shell } from 'electron';
import type { Host } from '#core/host.ts';
import { askPerson } from './ask-person.ts';
import { askWhere } from './ask-where.ts';
import { printPdf } from './print-pdf.ts';
import type { WindowStateFile } from './window-state.ts';

/** What the core gets from Electron. */
export function electronHost(state: WindowStateFile, platform: NodeJS.Platform): Host {
  return {
    name: 'electron',
    version: app.getVersion(),
    ownTitleBar: platform === 'darwin',
    // Elsewhere the program ends with its last window.
    background: platform === 'darwin',
    notices: [],
    output: { kind: 'dialog', askWhere, printPdf },
    openExternal: (url) => shell.openExternal(url),
    confirm: askPerson,
    showTheme(theme) {
      nativeTheme.themeSource = theme;
      state.set({ theme });
    },
  };
}
