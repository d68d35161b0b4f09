import { randomUUID } from 'node:crypto';
import { type CoreOptions, openCore } from '#core/core.ts';
import { serveChannels } from '#core/rpc/serve.ts';
import type { Host } from '#core/runtime/host/host.ts';
import { sessionMemory } from '#core/storage/secrets/session-memory.ts';
import { AppError } from '#shared/errors.ts';
import type { Language } from '#shared/language/messages.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import { askOnPage } from './ask-person.ts';
import { writeLaunchFile } from './launch-file.ts';
import { openExternal } from './open-external.ts';
import { type PrintPages, printPages } from './print-pages.ts';
import { socketChannel } from './socket-channel.ts';
import { openWebHost } from './web-host.ts';

export interface StartWebOptions
  extends Pick<
    CoreOptions,
    | 'dataFolder'
    | 'recovery'
    | 'env'
    | 'platform'
    | 'openGateway'
    | 'listen'
    | 'openSecrets'
    | 'sandboxPace'
    | 'workerFile'
    | 'pageWorkerFile'
    | 'documentWorkerFile'
    | 'importWorkerFile'
  > {
  readonly version: string;
  readonly port: number;
  readonly pageFolder: string;
  readonly openBrowser: boolean;
  /** Prints a line in the terminal. */
  readonly print: (line: string) => void;
}

export interface RunningWeb {
  readonly url: string;
  showLink(): void;
  close(): Promise<void>;
}

/** Starts the core with a loopback server and prints its address. */
export async function startWeb(options: StartWebOptions): Promise<RunningWeb> {
  const { platform, port, print } = options;
  const elapsed = () => performance.now();
  const prints = printPages();
  /** Set when the core is open, which is before any request is accepted. */
  let language: Language = 'en';
  const core = await openCore({
    ...options,
    host: webHost(options, prints, (settings) => {
      language = settings.language;
    }),
    session: sessionMemory(),
    now: Date.now,
    elapsed,
    newId: randomUUID,
  });
  const serve = serveChannels(core);
  const web = await openWebHost({
    port,
    pageFolder: options.pageFolder,
    takePrint: prints.take,
    serve: (socket) => serve(socketChannel(socket)),
    printLink: (link) => print(`Portico on ${link}`),
    language: () => language,
    elapsed,
  }).catch(async (error: unknown) => {
    await core.close();
    throw portError(port, error);
  });
  for (const { message } of core.notices) print(`Note: ${message}`);
  web.showLink();
  const launch = options.openBrowser ? openBrowser(options.dataFolder, web.newLink(), platform, print) : null;
  return {
    url: web.url,
    showLink: web.showLink,
    async close() {
      launch?.remove();
      await web.close();
      await core.close();
    },
  };
}

/** What a page in a browser can't do as safely, shown to the user (security page, rule 18). */
const notices = [toProblemText('extensionsRead'), toProblemText('memoryRead'), toProblemText('askedOnPage')];

function webHost(options: StartWebOptions, prints: PrintPages, showSettings: Host['showSettings']): Host {
  const { version, platform } = options;
  return {
    name: 'web',
    version,
    ownTitleBar: false,
    tray: false,
    notices,
    output: { kind: 'browser', servePrint: prints.serve },
    openedFile: async () => null,
    openExternal: (url) => openExternal(url, platform),
    confirm: (question, signal) =>
      askOnPage(question, signal, {
        show: (title, link) => showQuestion(options, title, link),
        elapsed: () => performance.now(),
      }),
    showMenu: null,
    zoom: null,
    spellCheck: false,
    // The page applies its theme itself. The browser's frame belongs to the user.
    showSettings,
    notify: null,
    proxyFor: null,
    quickWindow: null,
    openWindow: null,
    updates: null,
    showProxy: null,
    showRunning() {
      // The web host is ended from the terminal, where nobody can be asked about running answers.
    },
  };
}

/** Shows the link to a question in the terminal, and opens it in a browser. The app's page never learns it. */
function showQuestion(
  { openBrowser: open, dataFolder, platform, print }: StartWebOptions,
  title: string,
  link: string,
) {
  print(`Portico asks: ${title} Answer at ${link}`);
  const launch = open ? openBrowser(dataFolder, link, platform, print, 'answer-portico.html') : null;
  return () => launch?.remove();
}

function openBrowser(
  dataFolder: string,
  link: string,
  platform: NodeJS.Platform,
  print: (line: string) => void,
  fileName?: string,
) {
  const launch = writeLaunchFile(dataFolder, link, fileName);
  openExternal(launch.url, platform).catch(() => {
    launch.remove();
    print('No browser could be opened here: open the link above yourself.');
  });
  return launch;
}

function portError(port: number, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') {
    return new AppError('port_unavailable', `Port ${port} is used by another program. Choose another one with --port.`);
  }
  if (code === 'EACCES')
    return new AppError('port_unavailable', `Port ${port} may not be opened. Choose one above 1023.`);
  return error;
}
