// The page around the views.
import { mount } from "svelte";

import "../../src/regard/lab/book/templates/tokens.css";
import App from "./shell/App.svelte";
import "./shell/app.css";
import "./views";

mount(App, { target: document.body });
