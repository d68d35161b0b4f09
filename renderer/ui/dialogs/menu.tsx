import { ContextMenu as Context } from '@base-ui/react/context-menu';
import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { classNames } from '../elements/class-names.ts';
import { useFinalFocus } from './use-final-focus.ts';

const itemClass =
  'flex h-row items-center gap-2 rounded-control px-2 text-sm outline-none data-highlighted:bg-hover data-disabled:opacity-50 select-none';

const popupClass =
  'pop max-h-(--available-height) min-w-44 overflow-auto rounded-menu border border-line bg-raised p-1 shadow-float';

export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} align="start" className="z-50">
          <Base.Popup className={popupClass}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function ContextMenu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Context.Root>
      <Context.Trigger render={trigger} />
      <Context.Portal>
        <Context.Positioner collisionPadding={8} className="z-50">
          <Context.Popup className={popupClass}>{children}</Context.Popup>
        </Context.Positioner>
      </Context.Portal>
    </Context.Root>
  );
}

/** A position in the window, in CSS pixels from its upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

interface PointMenuProps {
  point: Point;
  /** The element that is focused after closing. */
  returnsTo: HTMLElement;
  onClosed: () => void;
  children: ReactNode;
}

/** A context menu at a point. Lists use one for all rows, so that rows don't need their own. */
export function PointMenu({ point, returnsTo, onClosed, children }: PointMenuProps) {
  const [open, setOpen] = useState(true);
  const popup = useRef<HTMLDivElement>(null);
  const finalFocus = useFinalFocus({ popup, open, returnsTo });
  const anchor = { getBoundingClientRect: () => DOMRect.fromRect({ ...point }) };
  return (
    <Base.Root open={open} onOpenChange={setOpen} onOpenChangeComplete={(still) => still || onClosed()} modal={false}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} collisionPadding={8} align="start" className="z-50">
          <Base.Popup ref={popup} className={popupClass} finalFocus={finalFocus}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({
  onClick,
  danger,
  disabled = false,
  children,
}: {
  onClick: () => void;
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <Base.Item onClick={onClick} disabled={disabled} className={classNames(itemClass, danger ? 'text-bad' : 'text-fg')}>
      {children}
    </Base.Item>
  );
}

interface MenuChoiceProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}

export function MenuChoice({ checked, onChange, children }: MenuChoiceProps) {
  return (
    <Base.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      closeOnClick={false}
      className={classNames(itemClass, 'text-fg')}
    >
      <span className="w-4">
        <Base.CheckboxItemIndicator>
          <Check size={14} aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}
