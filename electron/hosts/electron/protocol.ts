import { protocol, type Session } from 'electron';
import { pageHeaders, readPageFile } from '#core/host/page.ts';

export const scheme = 'app';
export const pageOrigin = 'app://portico';
export const pageUrl = `${pageOrigin}/index.html`;
/** Drawn in a sandboxed frame; the only page that a frame may hold. */
export const diagramUrl = `${pageOrigin}/diagram/index.html`;

/** Before the app is ready: the page's own scheme, with an origin of its own and without any network. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Serves the built page, and nothing else. All traffic to the core goes over the message port: no connections. */
export function servePage(session: Session, folder: string): void {
  session.protocol.handle(scheme, async (request) => {
    const url = new URL(request.url);
    const file = url.host === 'portico' && request.method === 'GET' ? await readPageFile(folder, url.pathname) : null;
    if (!file) return new Response('There is nothing here.', { status: 404, headers: pageHeaders("'none'") });
    return new Response(file.body, { headers: { ...pageHeaders("'none'", url.pathname), ...file.headers } });
  });
}
