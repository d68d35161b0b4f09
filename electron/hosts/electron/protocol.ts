import { protocol, type Session } from 'electron';
import { pageHeaders, readPageFile } from '#core/runtime/host/page.ts';

export const scheme = 'app';
export const pageOrigin = 'app://portico';
export const pageUrl = `${pageOrigin}/index.html`;
/** The diagram page, which is loaded in a sandboxed frame. No other page may be in a frame. */
export const diagramUrl = `${pageOrigin}/diagram/index.html`;

/** Gives the page's scheme its own origin. Must be called before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Serves the built page and nothing else. The page has no network access; it uses its message port. */
export function servePage(session: Session, folder: string): void {
  session.protocol.handle(scheme, async (request) => {
    const url = new URL(request.url);
    const file = url.host === 'portico' && request.method === 'GET' ? await readPageFile(folder, url.pathname) : null;
    if (!file) return new Response('There is nothing here.', { status: 404, headers: pageHeaders("'none'") });
    return new Response(file.body, { headers: { ...pageHeaders("'none'", url.pathname), ...file.headers } });
  });
}
