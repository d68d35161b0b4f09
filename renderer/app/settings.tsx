import '../browser/no-compiling.ts';
import { DataSection } from '../features/backup/data-section.tsx';
import { SettingsPage } from '../features/settings/settings-page.tsx';
import { ToolsSection } from '../features/tools/tools-section.tsx';
import { TransferSection } from '../features/transfer/transfer-section.tsx';
import type { SettingsSection } from '../navigation/nav.ts';
import { ShortcutTable } from '../shell/shortcut-list.tsx';

/** The settings, with the sections that features bring. */
export function Settings({ section }: { section: SettingsSection | null }) {
  return (
    <SettingsPage
      section={section}
      shortcuts={<ShortcutTable />}
      tools={<ToolsSection />}
      data={
        <>
          <DataSection />
          <TransferSection />
        </>
      }
    />
  );
}
