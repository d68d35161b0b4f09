import { ContextMenu as Context } from '@base-ui/react/context-menu';
import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';

const itemClass =
  'flex h-row items-center gap-2 rounded-control px-2 text-sm text-fg outline-none data-highlighted:bg-hover select-none';

/** A menu of actions. */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} align="start" className="z-50">
          <Base.Popup className="pop max-h-(--available-height) min-w-44 overflow-auto rounded-menu border border-line bg-raised p-1 shadow-float">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** The same as a context menu. */
export function ContextMenu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Context.Root>
      <Context.Trigger render={trigger} />
      <Context.Portal>
        <Context.Positioner collisionPadding={8} className="z-50">
          <Context.Popup className="pop max-h-(--available-height) min-w-44 overflow-auto rounded-menu border border-line bg-raised p-1 shadow-float">
            {children}
          </Context.Popup>
        </Context.Positioner>
      </Context.Portal>
    </Context.Root>
  );
}

export function MenuItem({
  onClick,
  danger,
  children,
}: {
  onClick: () => void;
  danger?: boolean;
  children: ReactNode;
}) {
  return (
    <Base.Item onClick={onClick} className={danger ? `${itemClass} text-bad` : itemClass}>
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
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} closeOnClick={false} className={itemClass}>
      <span className="w-4">
        <Base.CheckboxItemIndicator>
          <Check size={14} aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}
