import { useEffect, useRef, useState } from 'react';
import type { Scope } from '../sdk/src/index.ts';
import { linkTo, useAddress } from './address.ts';
import { AnimalsScreen } from './animals/animals-screen.tsx';
import { CategoriesScreen } from './categories/categories-screen.tsx';
import { serviceNow } from './clock.ts';
import { KeysScreen } from './keys/keys-screen.tsx';
import { LOOK_SECONDS, useLive } from './live/use-live.ts';
import { dayAt } from './orders/order-query.ts';
import { OrdersScreen } from './orders/orders-screen.tsx';
import { Button } from './parts/button.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { Icon, type IconName } from './parts/icon.tsx';
import { Name } from './parts/named.tsx';
import { Empty } from './parts/notices.tsx';
import { useOpenDialogs } from './parts/open-dialogs.ts';
import { WaitNotice } from './parts/wait-notice.tsx';
import { useSession } from './session.tsx';
import { TEXTS } from './texts.ts';
import { TodayScreen } from './today/today-screen.tsx';
import { UsageScreen } from './usage/usage-screen.tsx';
import { WebhooksScreen } from './webhooks/webhooks-screen.tsx';

interface Screen {
  readonly name: IconName & keyof typeof TEXTS.navigation;
  /** Each allows a part of the screen. */
  readonly scopes: readonly [Scope, ...Scope[]];
  readonly Content: () => React.ReactNode;
  /** Not for the counter. */
  readonly isAdmin?: boolean;
}

/** The screens in the order of the navigation, each with the scopes that its data needs. */
const SCREENS: readonly Screen[] = [
  { name: 'today', scopes: ['pets:read', 'orders:read'], Content: TodayScreen },
  { name: 'animals', scopes: ['pets:read'], Content: AnimalsScreen },
  { name: 'orders', scopes: ['orders:read'], Content: OrdersScreen },
  { name: 'categories', scopes: ['pets:read'], Content: CategoriesScreen },
  { name: 'keys', scopes: ['keys:admin'], Content: KeysScreen, isAdmin: true },
  { name: 'usage', scopes: ['keys:admin'], Content: UsageScreen, isAdmin: true },
  { name: 'webhooks', scopes: ['webhooks:admin'], Content: WebhooksScreen, isAdmin: true },
];

const MINUTE_MS = 60_000;

/** Shows the page anew when a day begins: it says what day it is, and what happened on it. */
function useNewDay(): void {
  const [, setDay] = useState(() => dayAt(serviceNow()));
  useEffect(() => {
    const timer = setInterval(() => setDay(dayAt(serviceNow())), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
}

/** The frame around the screen that the address names. Offers only what the API key may do. */
export function App() {
  const { key, may, signOut } = useSession();
  const { screen } = useAddress();
  const live = useLive();
  useNewDay();
  const dialogs = useOpenDialogs();
  const main = useRef<HTMLElement>(null);
  const offered = SCREENS.filter(({ scopes }) => scopes.some(may));
  const current = screen === '' ? offered[0] : offered.find(({ name }) => name === screen);
  const sections = [
    { heading: undefined, screens: offered.filter(({ isAdmin }) => !isAdmin) },
    { heading: TEXTS.frame.admin, screens: offered.filter(({ isAdmin }) => isAdmin) },
  ].filter(({ screens }) => screens.length > 0);
  const title = current === undefined ? undefined : TEXTS.navigation[current.name];

  useEffect(() => {
    document.title = title === undefined ? TEXTS.product : `${title} · ${TEXTS.product}`;
    main.current?.focus({ preventScroll: true });
  }, [title]);

  return (
    <div className="frame">
      <header className="side">
        <p className="brand">
          <span className="mark">
            <Icon name="animals" />
          </span>
          {TEXTS.product}
        </p>
        <nav className="nav" aria-label={TEXTS.frame.navigation}>
          {sections.map(({ heading, screens }) => (
            <section key={heading ?? ''} aria-label={heading}>
              {heading && <p className="muted">{heading}</p>}
              <ul>
                {screens.map(({ name }) => (
                  <li key={name}>
                    <a
                      href={linkTo(name)}
                      aria-current={current?.name === name ? 'page' : undefined}
                    >
                      <Icon name={name} />
                      {TEXTS.navigation[name]}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <div className="who">
          <div className="details">
            <p className="name">
              <Name>{key.name}</Name>
            </p>
            <p className="muted mono">{key.hint}</p>
          </div>
          {key.environment === 'staging' && (
            <p>
              <span className="chip waiting">{TEXTS.frame.staging}</span>
            </p>
          )}
          <Button small look="quiet" icon="leave" onClick={signOut}>
            {TEXTS.frame.signOut}
          </Button>
        </div>
      </header>
      <main className="screen" ref={main} tabIndex={-1}>
        <div className="notices">
          <div role="status">
            {live === 'lost' && <p className="notice waiting">{TEXTS.frame.lost}</p>}
            {live === 'unshared' && <p className="muted">{TEXTS.frame.looks(LOOK_SECONDS)}</p>}
          </div>
          {dialogs === 0 && <WaitNotice />}
        </div>
        {current ? (
          <ErrorBoundary key={current.name}>
            <current.Content />
          </ErrorBoundary>
        ) : (
          <NoScreen
            screen={SCREENS.find(({ name }) => name === screen)}
            isOther={offered.length > 0}
          />
        )}
      </main>
    </div>
  );
}

interface NoScreenProps {
  /** The screen that the API key may not open. Undefined if there is no such screen. */
  readonly screen: Screen | undefined;
  readonly isOther: boolean;
}

function NoScreen({ screen, isOther }: NoScreenProps) {
  const { noScope, noScreens, notFound, back } = TEXTS.frame;
  if (!isOther) return <p className="notice waiting">{noScreens}</p>;
  const title = screen ? noScope(screen.scopes[0]) : notFound;
  return (
    <Empty icon={screen?.name ?? 'animals'} title={title} hint="">
      <a href={linkTo('')}>{back}</a>
    </Empty>
  );
}
