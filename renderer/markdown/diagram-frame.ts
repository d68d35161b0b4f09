/** An SVG document with its size in CSS pixels, or Mermaid’s error. */
export type FrameAnswer =
  | { readonly svg: string; readonly width: number; readonly height: number }
  | { readonly error: string };

export interface DiagramFrame {
  /** Resolves when Mermaid is loaded. */
  readonly ready: Promise<void>;
  ask(source: string, dark: boolean): Promise<FrameAnswer>;
  remove(): void;
}

/**
 * Opens the page that renders diagrams: without an origin, network or access to this page (`sandbox="allow-scripts"`
 * and its own policy, see core/host/page.ts). It is reached through one message port.
 */
export function openDiagramFrame(): DiagramFrame {
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
