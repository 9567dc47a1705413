// The page without a network: a service worker keeps its files.

import { element } from "./element.js";

/** Says in `told` whether the page opens offline, and when there is a newer version of it. */
export async function keepOffline(told: HTMLElement): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) {
    told.textContent = "This browser cannot open the page offline.";
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
      told.replaceChildren("A new version of the page is here. ", button);
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
    if (registration.waiting === null) told.textContent = "Opens offline.";
  } catch (error) {
    told.textContent = `The page does not open offline: ${String(error)}`;
  }
}
