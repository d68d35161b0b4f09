import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect } from 'react';
import { AccountPage } from '../features/account/account-page.tsx';
import { DataSection } from '../features/backup/data-section.tsx';
import { ChatPage } from '../features/chat/chat-page.tsx';
import { CreditsPage } from '../features/credits/credits-page.tsx';
import { ModelsPage } from '../features/models/models-page.tsx';
import { ChatsPage } from '../features/organise/chats-page.tsx';
import { OrganiseDialogs } from '../features/organise/organise-dialogs.tsx';
import { SettingsPage } from '../features/settings/settings-page.tsx';
import { ToolsSection } from '../features/tools/tools-section.tsx';
import { TransferSection } from '../features/transfer/transfer-section.tsx';
import { UsagePage } from '../features/usage/usage-page.tsx';
import { WelcomeCard } from '../features/welcome/welcome-card.tsx';
import { keep } from '../lib/kept.ts';
import { useNav } from '../lib/nav.ts';
import { useSettings } from '../lib/use-core.ts';
import { Toaster } from '../ui/toaster.tsx';
import { Shell } from './shell.tsx';
import { ShortcutTable } from './shortcut-list.tsx';

export function App() {
  useLook();
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={500}>
        <Toaster>
          <Shell>
            <Page />
          </Shell>
          <OrganiseDialogs />
        </Toaster>
      </Tooltip.Provider>
    </CSPProvider>
  );
}

function Page() {
  const loc = useNav((nav) => nav.loc);
  const settings = useSettings();
  const firstRun = settings.data?.welcomed === false;
  switch (loc.page) {
    case 'chat':
      return <ChatPage conversationId={loc.conversationId} welcome={firstRun ? <WelcomeCard /> : null} />;
    case 'chats':
      return <ChatsPage view={loc.view} query={loc.query} />;
    case 'models':
      return <ModelsPage />;
    case 'usage':
      return <UsagePage />;
    case 'credits':
      return <CreditsPage />;
    case 'account':
      return <AccountPage />;
    case 'settings':
      return (
        <SettingsPage
          section={loc.section}
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
}

/** Theme and density on the document, and kept for the first paint of the next start. */
function useLook(): void {
  const { data } = useSettings();
  useEffect(() => {
    if (!data) return;
    const { dataset } = document.documentElement;
    if (data.theme === 'system') delete dataset.theme;
    else dataset.theme = data.theme;
    dataset.density = data.density;
    keep({ theme: data.theme, density: data.density });
  }, [data]);
}
