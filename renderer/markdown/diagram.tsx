import { Code, Workflow } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useDark } from '../browser/use-dark.ts';
import { markdownText as words } from '../text/markdown-text.ts';
import { IconButton } from '../ui/elements/icon-button.tsx';
import { ScrollGroup } from '../ui/elements/scroll-group.tsx';
import { CodeBlock } from './code/code-block.tsx';
import { type Drawing, diagrams } from './diagrams.ts';

/** A diagram as an image, with a button for its source. If it cannot be rendered, its source and the reason. */
export function Diagram({ source }: { source: string }) {
  const [asCode, setAsCode] = useState(false);
  const drawing = useDrawing(source);
  const toggle = (
    <IconButton
      icon={asCode ? Workflow : Code}
      label={asCode ? words.showDiagram : words.showSource}
      size="sm"
      onClick={() => setAsCode(!asCode)}
    />
  );
  if (!drawing || 'problem' in drawing)
    return (
      <CodeBlock code={source} language="mermaid" live={false} note={drawing && words.notDrawn(drawing.problem)} />
    );
  if (asCode) return <CodeBlock code={source} language="mermaid" live={false} tools={toggle} />;
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="flex-1 text-fg-2">{words.diagram}</span>
        {toggle}
      </div>
      <ScrollGroup label={words.diagram} className="diagram-scroll">
        <img
          src={drawing.url}
          width={drawing.width}
          height={drawing.height}
          // Shrunk to fit, to half its size at most; then it scrolls.
          style={{ maxWidth: `max(100%, ${Math.round(drawing.width / 2)}px)`, height: 'auto' }}
          alt={words.diagramOf(getKind(source))}
        />
      </ScrollGroup>
    </div>
  );
}

function useDrawing(source: string): Drawing | null {
  const dark = useDark();
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  useEffect(() => {
    let here = true;
    void diagrams.draw(source, dark).then((drawn) => here && setDrawing(drawn));
    return () => {
      here = false;
    };
  }, [source, dark]);
  return drawing;
}

/** The diagram type: the first word that is not configuration, such as `sequenceDiagram` or `flowchart`. */
const getKind = (source: string): string =>
  /^\s*([A-Za-z][\w-]*)/m.exec(source.replace(/^---[\s\S]*?^---/m, '').replace(/%%.*$/gm, ''))?.[1] ?? '';
