// Makes the page available offline: a service worker caches its files.

import { element } from "./element.js";

/** Shows in `status` whether the page opens offline, and when there is a newer version of it. */
export async function enableOffline(status: HTMLElement): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) {
    status.textContent = "This browser cannot open the page offline.";
    return;
  }
  const hadController = serviceWorker.controller !== null;
  try {
    const registration = await serviceWorker.register("service-worker.js");
    const offer = (waiting: ServiceWorker): void => {
      const take = (): void => {
        serviceWorker.addEventListener("controllerchange", () => location.reload());
        waiting.postMessage("take over");
      };
      const button = element("button", { type: "button", onclick: take }, "Reload with it");
      status.replaceChildren("A new version of the page is here. ", button);
    };
    if (registration.waiting !== null && hadController) {
      offer(registration.waiting);
      return;
    }
    registration.addEventListener("updatefound", () => {
      const found = registration.installing;
      found?.addEventListener("statechange", () => {
        if (found.state === "installed" && registration.active !== null) offer(found);
      });
    });
    await serviceWorker.ready;
    if (registration.waiting === null) status.textContent = "Opens offline.";
  } catch (error) {
    status.textContent = `The page does not open offline: ${String(error)}`;
  }
}
