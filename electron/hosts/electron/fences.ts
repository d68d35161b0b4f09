import { app, type Session, type WebContents } from 'electron';
import { openOutside } from './open-outside.ts';
import { diagramUrl, pageOrigin, pageUrl } from './protocol.ts';

/** Copying text needs this permission. All others are refused. */
const copying = 'clipboard-sanitized-write';

export function refusePermissions(session: Session): void {
  const isOwn = (url: string) => url.startsWith(`${pageOrigin}/`);
  session.setPermissionRequestHandler((_, permission, answer, details) => {
    answer(permission === copying && isOwn(details.requestingUrl));
  });
  session.setPermissionCheckHandler((_, permission, origin) => permission === copying && isOwn(`${origin}/`));
  session.setDevicePermissionHandler(() => false);
}

/** Refuses navigation, except reloads. New windows are opened outside by the link guard. */
export function refuseNavigation(): void {
  app.on('web-contents-created', (_, contents) => fence(contents));
}

function fence(contents: WebContents): void {
  const isReload = (url: string) => [url, contents.getURL()].every((address) => address.split('#', 1)[0] === pageUrl);
  contents.on('will-navigate', (event) => {
    if (!isReload(event.url)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    const allowed = event.isMainFrame ? isReload(event.url) : event.url === diagramUrl;
    if (!allowed) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url).catch(() => {
      // The link guard or the system refused the link. The page must not learn which of the two.
    });
    return { action: 'deny' };
  });
}
