// Draws diagrams for the window around it. It runs without an origin and without network access. Its only way to the
// window's page is the port that the page hands it.
(() => {
  let last = Promise.resolve();
  let drawn = 0;

  addEventListener('message', (event) => {
    const [port] = event.ports;
    if (!port || event.source !== parent) return;
    port.onmessage = ({ data }) => {
      last = last.then(() => draw(data)).then((answer) => port.postMessage({ id: data.id, ...answer }));
    };
    port.postMessage({ ready: true });
  });

  async function draw({ source, dark }) {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      theme: dark ? 'dark' : 'neutral',
      fontFamily: 'system-ui, sans-serif',
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      suppressErrorRendering: true,
      maxTextSize: 20_000,
      maxEdges: 400,
      logLevel: 'fatal',
    });
    try {
      const { svg } = await mermaid.render(`diagram-${++drawn}`, source);
      return sized(svg);
    } catch (error) {
      return { error: firstLine(String(error?.message ?? error)) };
    } finally {
      document.body.replaceChildren();
    }
  }

  /** Returns the first line of an error. The rest of it only points at the position, or names parts of a grammar. */
  const firstLine = (message) => `${(message.split('\n')[0] ?? '').replace(/[:.]\s*$/, '').slice(0, 300)}.`;

  /** Gives the SVG an explicit size, because an image has no page around it to take one from. */
  function sized(text) {
    const svg = new DOMParser().parseFromString(text, 'text/html').querySelector('svg');
    if (!svg) return { error: 'The diagram is empty.' };
    const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
    if (!(width > 0 && height > 0)) return { error: 'The diagram has no size.' };
    svg.setAttribute('width', String(width));
    svg.setAttribute('height', String(height));
    return { svg: new XMLSerializer().serializeToString(svg), width, height };
  }
})();
