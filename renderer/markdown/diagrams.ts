import { markdownText as text } from '../text/markdown-text.ts';

/** A diagram as an image with its size in CSS pixels, or the reason why it could not be rendered. */
export type Drawing =
  | { readonly url: string; readonly width: number; readonly height: number }
  | { readonly problem: string };

interface Diagrams {
  /** Renders Mermaid source. Never rejects. Recent results are cached. */
  draw(source: string, dark: boolean): Promise<Drawing>;
}

const maxSource = 20_000;
const maxCached = 60;
/** Mermaid is several megabytes, which a busy machine takes long to compile. */
const loadMs = 60_000;
const drawMs = 10_000;
const tooLong = Symbol('too long');

/**
 * Renders diagrams to images, one after another in a sandboxed frame, so that a model's output never becomes part of
 * the page. A frame that hangs is removed, and its diagram is shown as source.
 */
export const diagrams = createDiagrams();

function createDiagrams(): Diagrams {
  const known = new Map<string, Promise<Drawing>>();
  let frame: DiagramFrame | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function drawNow(source: string, dark: boolean): Promise<Drawing> {
    frame ??= openDiagramFrame();
    const loaded = await within(loadMs, frame.ready);
    const answer = loaded === tooLong ? tooLong : await within(drawMs, frame.ask(source, dark));
    if (answer === tooLong) {
      frame.remove();
      frame = null;
      return { problem: text.drawnTooLong };
    }
    if ('error' in answer) return { problem: answer.error };
    const url = URL.createObjectURL(new Blob([answer.svg], { type: 'image/svg+xml' }));
    return { url, width: answer.width, height: answer.height };
  }

  function forgetOldest(): void {
    for (const [key, drawing] of known) {
      if (known.size <= maxCached) return;
      known.delete(key);
      void drawing.then((drawn) => 'url' in drawn && URL.revokeObjectURL(drawn.url));
    }
  }

  return {
    draw(source, dark) {
      if (source.length > maxSource) return Promise.resolve({ problem: text.tooLongToDraw });
      const key = `${dark}\n${source}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const drawing = last.then(() => drawNow(source, dark));
      last = drawing;
      known.set(key, drawing);
      forgetOldest();
      return drawing;
    },
  };
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | typeof tooLong> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<typeof tooLong>((resolve) => {
    timer = setTimeout(resolve, ms, tooLong);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** An SVG document with its size in CSS pixels, or Mermaid’s error. */
type FrameAnswer =
  | { readonly svg: string; readonly width: number; readonly height: number }
  | { readonly error: string };

interface DiagramFrame {
  /** Resolves when Mermaid is loaded. */
  readonly ready: Promise<void>;
  ask(source: string, dark: boolean): Promise<FrameAnswer>;
  remove(): void;
}

/**
 * Opens the page that renders diagrams. It has no origin, no network and no access to this page (`sandbox="allow-scripts"`
 * and its own policy, see electron/core/runtime/host/page.ts). It is reached through one message port.
 */
function openDiagramFrame(): DiagramFrame {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts');
  element.setAttribute('aria-hidden', 'true');
  element.tabIndex = -1;
  element.className = 'diagram-frame';
  element.src = './diagram/index.html';
  const { port1: port, port2 } = new MessageChannel();
  const waiting = new Map<number, (answer: FrameAnswer) => void>();
  let lastId = 0;
  const ready = new Promise<void>((resolve) => {
    port.onmessage = ({ data }: MessageEvent<{ id?: number } & FrameAnswer>) => {
      if (data.id === undefined) return resolve();
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
  });
  element.addEventListener('load', () => element.contentWindow?.postMessage(null, '*', [port2]), { once: true });
  document.body.append(element);
  return {
    ready,
    ask(source, dark) {
      const id = ++lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        port.postMessage({ id, source, dark });
      });
    },
    remove() {
      port.close();
      element.remove();
    },
  };
}
