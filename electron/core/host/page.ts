import { readFile } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';

/** What is served to a window: the built page's files, their types and the headers that fence them in. */

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** Built files whose names say what is in them: another version has another name. */
const forever = /^\/assets\/[\w.-]+-[\w-]{8}\.\w+$/;

const common = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // A page served by http: would look up the host of every link in it, and so tell whoever named one.
  'x-dns-prefetch-control': 'off',
};

/**
 * Headers of everything a window loads (security page, Settings). `connect`: where scripts may connect to; `pathname`: of a file
 * that is there.
 */
export function pageHeaders(connect: "'none'" | "'self'", pathname = '/'): Record<string, string> {
  if (isDiagramFile(pathname)) return diagramHeaders;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "worker-src 'self'",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types portico',
  ];
  const denied = ['camera', 'microphone', 'geolocation', 'usb', 'serial', 'hid', 'display-capture', 'clipboard-read'];
  return {
    ...common,
    ...(forever.test(pathname) ? { 'cache-control': 'public, max-age=31536000, immutable' } : {}),
    'content-security-policy': policy.join('; '),
    'permissions-policy': denied.map((feature) => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}

/** The page that draws diagrams and its scripts. They hold nothing but a public library. */
export const isDiagramFile = (pathname: string): boolean =>
  /^\/diagram\/(index\.html|frame\.js|mermaid\.js)$/.test(pathname);

/**
 * That page has no origin (`sandbox`), so what it loads counts as loaded by another site; it connects nowhere, and only
 * our own page may frame it.
 */
const diagramHeaders: Record<string, string> = {
  ...common,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; '),
  'cross-origin-resource-policy': 'cross-origin',
};

/** A page to print runs no script, fetches nothing and goes nowhere; only our own page may frame it, and tell it to print. */
export const printHeaders: Readonly<Record<string, string>> = {
  ...common,
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin allow-modals',
  ].join('; '),
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-resource-policy': 'same-origin',
};

export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  /** What it is, and how it is compressed. */
  readonly headers: Readonly<Record<string, string>>;
}

const compressed = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * A file of the built page by the path of its URL; null for everything that is not one, whatever its spelling. `accepted` is the
 * request's `Accept-Encoding`: where the build compressed the file in a way that is named there, that is what is read.
 */
export async function readPageFile(folder: string, pathname: string, accepted = ''): Promise<PageFile | null> {
  const path = decoded(pathname);
  if (path === null || /[\0\\]/.test(path)) return null;
  const file = resolve(folder, `.${path.endsWith('/') ? `${path}index.html` : path}`);
  const type = types[extname(file).toLowerCase()];
  if (!file.startsWith(folder + sep) || type === undefined) return null;
  const headers = { 'content-type': type, vary: 'accept-encoding' };
  for (const [encoding, ending] of compressed) {
    const body = takes(accepted, encoding) ? await contentOf(file + ending) : null;
    if (body) return { body, headers: { ...headers, 'content-encoding': encoding } };
  }
  const body = await contentOf(file);
  return body && { body, headers };
}

const contentOf = (file: string) => readFile(file).catch(() => null);

/** Whether an `Accept-Encoding` names this one, and not to refuse it (`q=0`). */
const takes = (accepted: string, encoding: string) =>
  accepted
    .toLowerCase()
    .split(',')
    .some((each) => new RegExp(`^\\s*${encoding}\\s*(?:;(?!\\s*q=0(?:\\.0*)?\\s*$)|$)`).test(each));

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
