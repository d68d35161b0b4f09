import { classNames } from '../../../ui/elements/class-names.ts';
import type { MenuEntry } from './composer-menu.ts';

interface MenuPopupProps {
  id: string;
  label: string;
  empty: string;
  entries: readonly MenuEntry[];
  active: number;
  onPick: (entry: MenuEntry) => void;
}

export const optionId = (menuId: string, at: number): string => `${menuId}-${at}`;

/** The popup of `/` and `@`. The focus stays in the text field. */
export function MenuPopup({ id, label, empty, entries, active, onPick }: MenuPopupProps) {
  return (
    <div className="absolute inset-x-0 bottom-full z-30 mb-1.5 max-h-72 overflow-y-auto rounded-menu border border-line bg-raised p-1 shadow-float">
      <div id={id} role="listbox" aria-label={label}>
        {entries.map((entry, at) => (
          <div
            key={entry.id}
            id={optionId(id, at)}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            className={classNames(
              'flex min-h-9 items-center gap-3 rounded-control px-2 text-sm select-none',
              at === active ? 'bg-hover' : '',
            )}
            // Keeps the focus in the text field.
            onPointerDown={(event) => {
              event.preventDefault();
              onPick(entry);
            }}
          >
            <span className="shrink-0 font-medium">{entry.name}</span>
            <span className="min-w-0 flex-1 truncate text-right text-fg-3 text-xs tabular-nums">{entry.note}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="px-2 py-2 text-fg-2 text-sm">{empty}</p>}
    </div>
  );
}
