import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect } from 'react';
import { getLocale } from '#shared/language/messages.ts';
import { useSettings } from '../api/use-core.ts';
import { readLocalSettings, saveLocalSettings } from '../browser/local-settings.ts';
import { useSettled, useShown } from '../browser/use-settled.ts';
import { ChatPage, loadConversation } from '../features/chat/chat-page.tsx';
import { loadNotices } from '../features/chat/composer/composer-notices.tsx';
import { useNav } from '../navigation/nav.ts';
import { lazyView } from '../page/lazy-view.tsx';
import { ViewBoundary } from '../page/view-boundary.tsx';
import { Shell } from '../shell/shell.tsx';
import { language } from '../text/language.ts';
import { text } from '../text/shell-text.ts';
import { SkeletonRows } from '../ui/notices/skeleton.tsx';
import { Toaster } from '../ui/notices/toaster.tsx';

/** The views of the pages. The chat is not among them, because a start shows it. */
const pages = {
  chats: lazyView(() => import('../features/library/conversations/chats-page.tsx').then((file) => file.ChatsPage)),
  models: lazyView(() => import('../features/models/models-page.tsx').then((file) => file.ModelsPage)),
  whatIf: lazyView(() => import('../features/billing/what-if/what-if-page.tsx').then((file) => file.WhatIfPage)),
  usage: lazyView(() => import('../features/billing/usage/usage-page.tsx').then((file) => file.UsagePage)),
  credits: lazyView(() => import('../features/billing/credits/credits-page.tsx').then((file) => file.CreditsPage)),
  reconciliation: lazyView(() =>
    import('../features/billing/reconciliation/reconciliation-page.tsx').then((file) => file.ReconciliationPage),
  ),
  account: lazyView(() => import('../features/billing/account/account-page.tsx').then((file) => file.AccountPage)),
  settings: lazyView(() => import('../features/settings/settings-page.tsx').then((file) => file.SettingsPage)),
};
const WelcomeCard = lazyView(() => import('../features/welcome/welcome-card.tsx').then((file) => file.WelcomeCard));
const OrganiseDialogs = lazyView(() =>
  import('../features/library/conversations/organise-dialogs.tsx').then((file) => file.OrganiseDialogs),
);

const OpenedFileDialog = lazyView(() =>
  import('../features/library/transfer/opened-file-dialog.tsx').then((file) => file.OpenedFileDialog),
);
const LinkDialog = lazyView(() => import('../features/links/link-dialog.tsx').then((file) => file.LinkDialog));

/** Preloaded when the window is idle, so that nobody waits for a view. */
const next = [loadConversation, loadNotices, ...Object.values(pages).map(({ load }) => load)];

export function App() {
  useAppearance();
  const settled = useSettled();
  useEffect(() => {
    if (settled) void Promise.allSettled(next.map((load) => load()));
  }, [settled]);
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={500}>
        <Toaster>
          <Shell>
            <Page />
          </Shell>
          {settled && (
            <ViewBoundary name={text.dialogs}>
              <OrganiseDialogs />
              <LinkDialog />
              <OpenedFileDialog />
            </ViewBoundary>
          )}
        </Toaster>
      </Tooltip.Provider>
    </CSPProvider>
  );
}

/** The view of the current location. The key is the page, so that navigating away resets a broken view. */
function Page() {
  const page = useNav((nav) => nav.loc.page);
  const view = useNav(({ loc }) => (loc.page === 'models' ? loc.view : undefined));
  return (
    <ViewBoundary key={`${page}/${view}`} name={page === 'chat' ? text.chat : text[page]} loading={<Loading />}>
      <View />
      {page !== 'chat' && <Shown />}
    </ViewBoundary>
  );
}

/** Mounted next to a lazy view, so it renders only once that view has loaded. */
function Shown() {
  useShown(true);
  return null;
}

const Loading = () => (
  <div className="p-6">
    <SkeletonRows rows={6} label={text.loadingView} />
  </div>
);

/** Has its own boundary, so that the composer below doesn't wait for it. */
const Welcome = () => (
  <ViewBoundary name={text.chat}>
    <WelcomeCard />
  </ViewBoundary>
);

function View() {
  const loc = useNav((nav) => nav.loc);
  const settings = useSettings();
  const firstRun = settings.data?.welcomed === false;
  if (loc.page === 'chat')
    return <ChatPage conversationId={loc.conversationId} welcome={firstRun ? <Welcome /> : null} />;
  if (loc.page === 'chats') return <pages.chats view={loc.view} query={loc.query} />;
  if (loc.page === 'settings') return <pages.settings section={loc.section} setting={loc.setting} />;
  const Plain = pages[loc.page === 'models' && loc.view === 'what-if' ? 'whatIf' : loc.page];
  return <Plain />;
}

/**
 * Applies theme, density and language to the document, and stores them locally for the first paint of the next start.
 */
function useAppearance(): void {
  const { data } = useSettings();
  useEffect(() => {
    if (!data) return;
    const { dataset } = document.documentElement;
    if (data.theme === 'system') delete dataset.theme;
    else dataset.theme = data.theme;
    dataset.density = data.density;
    saveLocalSettings({ theme: data.theme, density: data.density, language: data.language });
    document.documentElement.lang = getLocale[language];
    // The language is chosen when the page loads. Without local storage a reload would not change it.
    if (data.language !== language && readLocalSettings().language === data.language) location.reload();
  }, [data]);
}
