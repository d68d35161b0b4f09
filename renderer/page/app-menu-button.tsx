import { Menu } from 'lucide-react';
import { useShowMenu } from '../api/use-app-calls.ts';
import { text } from '../text/shell-text.ts';
import { IconButton } from '../ui/elements/icon-button.tsx';

/** Opens the application’s menus, where the page’s upper row replaces the menu bar. */
export function AppMenuButton({ className }: { className?: string }) {
  const show = useShowMenu();
  if (!show) return null;
  return (
    <IconButton
      icon={Menu}
      label={text.appMenu}
      {...(className && { className })}
      onClick={({ currentTarget }) => {
        const { left, bottom } = currentTarget.getBoundingClientRect();
        show({ x: left, y: bottom });
      }}
    />
  );
}
