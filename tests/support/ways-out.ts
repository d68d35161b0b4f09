/**
 * The ways in which content on a page could reach a server, without a click unless the name mentions one. They run in
 * the page itself. A `preconnect` opens a connection without a request, and `meta refresh` navigates away. No page
 * policy can prevent these two, so the elements must never be drawn (`renderer/markdown/hostile.test.tsx`).
 */
export const waysOut = {
  fetch: (url: string) => void fetch(url).catch(() => {}),
  XMLHttpRequest: (url: string) => {
    const asked = new XMLHttpRequest();
    asked.open('GET', url);
    asked.send();
  },
  sendBeacon: (url: string) => void navigator.sendBeacon(url),
  WebSocket: (url: string) => void new WebSocket(url.replace('http', 'ws')),
  EventSource: (url: string) => void new EventSource(url),
  FontFace: (url: string) => void new FontFace('Out', `url(${url})`).load().catch(() => {}),
  'dynamic import': (url: string) => void import(/* @vite-ignore */ url).catch(() => {}),
  Worker: (url: string) => void new Worker(url),
  SharedWorker: (url: string) => void new SharedWorker(url),
  'service worker': (url: string) => void navigator.serviceWorker?.register(url).catch(() => {}),
  'img src': (url: string) => void add('img', { src: url }),
  'img srcset': (url: string) => void add('img', { srcset: `${url} 1x` }),
  'picture source': (url: string) => {
    const picture = add('picture', {});
    picture.append(make('source', { srcset: url }), make('img', {}));
  },
  audio: (url: string) => void add('audio', { src: url, preload: 'auto' }),
  video: (url: string) => void add('video', { src: url, preload: 'auto' }),
  'video poster': (url: string) => void add('video', { poster: url }),
  'video source': (url: string) => void add('video', { preload: 'auto' }).append(make('source', { src: url })),
  object: (url: string) => void add('object', { data: url }),
  embed: (url: string) => void add('embed', { src: url, type: 'text/html' }),
  'script src': (url: string) => void add('script', { src: url }),
  'module script': (url: string) => void add('script', { type: 'module', src: url }),
  stylesheet: (url: string) => void add('link', { rel: 'stylesheet', href: url }),
  preload: (url: string) => void add('link', { rel: 'preload', as: 'image', href: url }),
  prefetch: (url: string) => void add('link', { rel: 'prefetch', href: url }),
  modulepreload: (url: string) => void add('link', { rel: 'modulepreload', href: url }),
  icon: (url: string) => void add('link', { rel: 'icon', href: url }),
  manifest: (url: string) => void add('link', { rel: 'manifest', href: url }),
  'style attribute': (url: string) => void add('div', { style: `height:9px;background:url(${url})` }),
  'style element': (url: string) => {
    add('style', {}).textContent = `#out{background:url(${url})}`;
    add('div', { id: 'out', style: 'height:9px' });
  },
  'style import': (url: string) => {
    add('style', {}).textContent = `@import "${url}";`;
  },
  'constructed style': (url: string) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`#made{height:9px;background:url(${url})}`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    add('div', { id: 'made' });
  },
  'SVG image': (url: string) => void inSvg('image', { href: url, width: '9', height: '9' }),
  'SVG use': (url: string) => void inSvg('use', { href: `${url}#a` }),
  'SVG filter': (url: string) => void inSvg('feImage', { href: url }),
  'image button': (url: string) => void add('input', { type: 'image', src: url }),
  background: (url: string) => void add('table', { background: url }),
  'form, sent': (url: string) => {
    add('iframe', { name: 'formed' });
    (add('form', { action: url, method: 'post', target: 'formed' }) as HTMLFormElement).submit();
  },
  'ping, clicked': (url: string) => (add('a', { href: '#', ping: url }) as HTMLAnchorElement).click(),
  iframe: (url: string) => void add('iframe', { src: url }),
  'iframe srcdoc': (url: string) => void add('iframe', { srcdoc: `<img src="${url}">` }),
  preconnect: (url: string) => void add('link', { rel: 'preconnect', href: url }),
} as const;

// In the page these functions stand next to the ways out (`asScript`).
declare function make(name: string, attributes: Readonly<Record<string, string>>): HTMLElement;
declare function add(name: string, attributes: Readonly<Record<string, string>>): HTMLElement;
declare function inSvg(name: string, attributes: Readonly<Record<string, string>>): void;

/** Returns a program that tries all ways, one by one, whether or not the page allows them. */
export const asScript = (origin: string): string => `(() => {
  const make = (name, attributes) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      try { element.setAttribute(key, value); } catch {}
    }
    return element;
  };
  const add = (name, attributes) => document.body.appendChild(make(name, attributes));
  const inSvg = (name, attributes) => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    svg.append(element);
    document.body.append(svg);
  };
  ${Object.entries(waysOut)
    .map(([name, way]) => `try { (${way})(${JSON.stringify(`${origin}/${encodeURIComponent(name)}`)}); } catch {}`)
    .join('\n  ')}
})()`;
