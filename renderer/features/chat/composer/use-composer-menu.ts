import { type KeyboardEvent, useId, useState } from 'react';
import { findTrigger, type MenuEntry, type MenuTrigger } from './composer-menu.ts';

interface Source {
  readonly label: string;
  /** Shown when there are no entries. */
  readonly empty: string;
  readonly entries: (query: string) => readonly MenuEntry[];
  readonly pick: (id: string, trigger: MenuTrigger) => void;
}

/** State of the `/` and `@` menu: its entries, the active one, and its keys. */
export function useComposerMenu(text: string, sources: Readonly<Record<MenuTrigger['sign'], Source>>) {
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  /** The text for which Escape closed the menu; more typing opens it again. */
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const trigger = closedFor === text ? null : findTrigger(text, Math.min(caret, text.length));
  const source = trigger ? sources[trigger.sign] : null;
  const entries = trigger && source ? source.entries(trigger.query) : [];
  const open = trigger !== null && (entries.length > 0 || trigger.query === '');
  const activeIndex = Math.min(active, Math.max(0, entries.length - 1));

  const pick = (entry: MenuEntry) => {
    if (trigger && source) source.pick(entry.id, trigger);
    setActive(0);
  };

  return {
    id,
    open,
    label: source?.label ?? '',
    empty: source?.empty ?? '',
    entries,
    active: activeIndex,
    pick,
    setCaret,
    /** True if the key was handled. */
    onKeyDown(event: KeyboardEvent): boolean {
      if (!open || event.nativeEvent.isComposing) return false;
      const entry = entries[activeIndex];
      if (event.key === 'ArrowDown') setActive((activeIndex + 1) % Math.max(1, entries.length));
      else if (event.key === 'ArrowUp') setActive((activeIndex + entries.length - 1) % Math.max(1, entries.length));
      else if ((event.key === 'Enter' || event.key === 'Tab') && entry) pick(entry);
      else if (event.key === 'Escape') setClosedFor(text);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}
