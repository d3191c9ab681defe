//! A client on the official Rust SDK: acp_client SCENARIO FOLDER COMMAND...; prints one line of JSON.

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CloseSessionRequest, ContentBlock, InitializeRequest, ListSessionsRequest, LoadSessionRequest, NewSessionRequest,
    PromptRequest, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, SessionNotification, TextContent,
};
use agent_client_protocol::{AcpAgent, Agent, Client};
use serde_json::{Value, json, to_value};
use std::sync::{Arc, Mutex};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let folder = arguments[0].clone();
    let agent = AcpAgent::from_args(arguments[1..].to_vec())?;
    let updates: Arc<Mutex<Vec<Value>>> = Arc::default();
    let permissions: Arc<Mutex<usize>> = Arc::default();
    let (seen, asked) = (updates.clone(), permissions.clone());
    let found = Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _connection| {
                seen.lock().unwrap().push(to_value(notification.update).unwrap());
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _connection| {
                *asked.lock().unwrap() += 1;
                let chosen = SelectedPermissionOutcome::new(request.options[0].option_id.clone());
                responder.respond(RequestPermissionResponse::new(RequestPermissionOutcome::Selected(chosen)))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(agent, async move |connection: ConnectionTo<Agent>| {
            let started = connection.send_request(InitializeRequest::new(ProtocolVersion::V1)).block_task().await?;
            let session = connection.send_request(NewSessionRequest::new(folder.clone())).block_task().await?.session_id;
            let text = vec![ContentBlock::Text(TextContent::new("Do it."))];
            let prompt = connection.send_request(PromptRequest::new(session.clone(), text)).block_task().await?;
            let live: Vec<Value> =
                updates.lock().unwrap().drain(..).map(|update| update["sessionUpdate"].clone()).collect();
            let list = connection.send_request(ListSessionsRequest::new()).block_task().await?;
            connection.send_request(CloseSessionRequest::new(session.clone())).block_task().await?;
            connection.send_request(LoadSessionRequest::new(session.clone(), folder)).block_task().await?;
            Ok(json!({
                "initialized": to_value(started).unwrap(),
                "session": to_value(session).unwrap(),
                "prompt": to_value(prompt.stop_reason).unwrap(),
                "live": live,
                "list": to_value(list).unwrap(),
                "updates": *updates.lock().unwrap(),
                "permissions": *permissions.lock().unwrap(),
                "exit": null,
            }))
        })
        .await?;
    println!("{found}");
    Ok(())
}
