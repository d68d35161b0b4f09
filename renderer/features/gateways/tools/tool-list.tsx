import type { Tool, ToolTransport } from '#shared/contract/app/tools.ts';
import { visibleText } from '#shared/visible.ts';
import { text } from '../../../text/tools-text.ts';
import { Badge } from '../../../ui/elements/badge.tsx';

/** The tools of a server with its own descriptions. */
export function ToolList({ label, tools }: { label: string; tools: readonly Tool[] }) {
  if (tools.length === 0) return <p className="text-fg-2 text-sm">{text.noTools}</p>;
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-menu border border-line bg-sunken px-3">
      {tools.map(({ name, description, readOnly }) => (
        <li key={name} className="py-2">
          <p className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm wrap-anywhere">{name}</code>
            {readOnly && <Badge>{text.readOnly}</Badge>}
          </p>
          {description && <p className="text-fg-2 text-xs whitespace-pre-line wrap-anywhere">{description}</p>}
        </li>
      ))}
    </ul>
  );
}

/** A server’s transport in one line. Secret values are not in it: only the core has them. */
export function TransportLine({ transport }: { transport: ToolTransport }) {
  const line = transport.type === 'http' ? transport.url : [transport.command, ...transport.args].join(' ');
  const secrets = transport.type === 'http' ? transport.headers : transport.variables;
  return (
    <p className="text-fg-3 text-xs wrap-anywhere">
      <code className="font-mono">{visibleText(line)}</code>
      {secrets.length > 0 && ` · ${secrets.join(', ')}`}
    </p>
  );
}
