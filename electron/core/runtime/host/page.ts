import { readFile, realpath } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';

/** Files of the built page, with their types and security headers. */

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

/** Built files with a content hash in their name, which may be cached forever. */
const forever = /^\/assets\/[\w.-]+-[\w-]{8}\.\w+$/;

const common = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // Over http the browser would prefetch DNS for every link, which reveals the links to the hosts' name servers.
  'x-dns-prefetch-control': 'off',
};

/**
 * Returns the headers of everything a window loads (security page, Settings). `connect` is where scripts may connect
 * to; `pathname` is that of an existing file.
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

/** The page that renders diagrams, with its scripts. They contain only a public library. */
export const isDiagramFile = (pathname: string): boolean =>
  /^\/diagram\/(index\.html|frame\.js|mermaid\.js)$/.test(pathname);

/**
 * Headers of the diagram page. It has no origin (`sandbox`), so its files count as cross-site. It can't connect to
 * anything, and only our page may frame it.
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

/** Headers of a page to print: no scripts, no network, no navigation. Only our page may frame it and start printing. */
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
  /** The file's type and encoding. */
  readonly headers: Readonly<Record<string, string>>;
}

const compressed = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Reads a file of the built page by URL path. Returns null for anything else, however it is spelled. `accepted` is the
 * request's `Accept-Encoding`: a matching compressed file is preferred.
 */
export async function readPageFile(folder: string, pathname: string, accepted = ''): Promise<PageFile | null> {
  const path = decoded(pathname);
  if (path === null || /[\0\\]/.test(path)) return null;
  const file = resolve(folder, `.${path.endsWith('/') ? `${path}index.html` : path}`);
  // A file system without case would otherwise serve /diagram/INDEX.html too, with the wrong headers.
  if (!(await isSpelledSo(folder, file))) return null;
  const type = types[extname(file).toLowerCase()];
  if (!file.startsWith(folder + sep) || type === undefined) return null;
  const headers = { 'content-type': type, vary: 'accept-encoding' };
  for (const [encoding, ending] of compressed) {
    const body = takes(accepted, encoding) ? await getContent(file + ending) : null;
    if (body) return { body, headers: { ...headers, 'content-encoding': encoding } };
  }
  const body = await getContent(file);
  return body && { body, headers };
}

/** Whether the file system has exactly these names, letter for letter. */
async function isSpelledSo(folder: string, file: string): Promise<boolean> {
  const actual = await realpath(file).catch(() => null);
  return actual?.endsWith(file.slice(folder.length)) ?? false;
}

const getContent = (file: string) => readFile(file).catch(() => null);

/** Whether `Accept-Encoding` accepts this encoding (not `q=0`). */
const takes = (accepted: string, encoding: string) =>
  accepted
    .toLowerCase()
    .split(',')
    .some((entry) => new RegExp(`^\\s*${encoding}\\s*(?:;(?!\\s*q=0(?:\\.0*)?\\s*$)|$)`).test(entry));

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
