import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { text } from '../../text/settings-text.ts';
import { Badge } from '../../ui/elements/badge.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { SettingsHeading } from '../../ui/forms/setting-row.tsx';

const { library } = text;

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  readonly badge: string | null;
}

interface LibraryListProps {
  title: string;
  note: string;
  empty: string;
  add: string;
  entries: readonly Entry[];
  onAdd: () => void;
  onEdit: (id: string) => void;
  onRemove: (id: string) => void;
  onExport: () => void;
  onImport: (file: File) => void;
  children?: ReactNode;
}

/** A list of named entries that can be added, edited, deleted, exported and imported. */
export function LibraryList(props: LibraryListProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <section aria-label={props.title} className="mb-8">
      <div className="flex flex-wrap items-center gap-2">
        <SettingsHeading className="flex-1">{props.title}</SettingsHeading>
        <Button variant="quiet" onClick={() => input.current?.click()}>
          {library.importFile}
        </Button>
        <Button variant="quiet" disabled={props.entries.length === 0} onClick={props.onExport}>
          {library.exportAll}
        </Button>
        <Button onClick={props.onAdd}>{props.add}</Button>
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label={`${library.importFile} ${props.title}`}
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            if (file) props.onImport(file);
            event.target.value = '';
          }}
        />
      </div>
      <p className="mb-2 text-fg-3 text-xs">{props.note}</p>
      {props.entries.length === 0 && <p className="py-2 text-fg-2 text-sm">{props.empty}</p>}
      <ul className="divide-y divide-line">
        {props.entries.map(({ id, name, note, badge }) => (
          <li key={id} className="flex min-h-12 items-center gap-1 py-1.5">
            <div className="min-w-0 flex-1">
              <p className="flex items-center gap-2 font-medium">
                <span className="truncate">{name}</span>
                {badge && <Badge>{badge}</Badge>}
              </p>
              <p className="truncate text-fg-3 text-xs">{note}</p>
            </div>
            <IconButton icon={Pencil} size="sm" label={library.edit(name)} onClick={() => props.onEdit(id)} />
            <IconButton icon={Trash2} size="sm" label={library.remove(name)} onClick={() => props.onRemove(id)} />
          </li>
        ))}
      </ul>
      {props.children}
    </section>
  );
}
