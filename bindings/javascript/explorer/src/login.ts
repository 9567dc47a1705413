// Asks for the login of a server.

import { element, labelled } from "./element.js";
import { FailureNote } from "./failure.js";
import { Server, type Login } from "./server.js";

/** Shows a form until the server accepts a login. The password is not stored. */
export function askLogin(main: HTMLElement, hasClock: boolean): Promise<Server> {
  return new Promise((resolve) => {
    const username = element("input", { type: "text", required: true, autocomplete: "username" });
    const password = element("input", {
      type: "password",
      required: true,
      autocomplete: "current-password",
    });
    const failure = new FailureNote();
    const form = element(
      "form",
      { class: "card", "aria-label": "Log in" },
      element("h1", {}, "Log in"),
      element("p", {}, "Give the login of an integrator. The server prints it if it has created one."),
      labelled("User name", username),
      labelled("Password", password),
      element("p", {}, element("button", { class: "main" }, "Log in")),
      failure.element,
    );
    const send = async (): Promise<void> => {
      const login: Login = { username: username.value, password: password.value };
      const server = new Server(login, hasClock);
      try {
        await server.directory();
        resolve(server);
      } catch (error) {
        failure.show("The login was not accepted.", error);
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send();
    });
    main.replaceChildren(form);
    username.focus();
  });
}
