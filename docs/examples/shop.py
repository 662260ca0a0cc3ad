"""Orders an animal once: docs/recipes.md."""
from store import STORE, session

def place(key, pet_id, cart_id):
    body = {"petId": pet_id, "reference": cart_id}
    response = session.post(f"{STORE}/store/orders", json=body, headers={"Idempotency-Key": key})
    answer = response.json()
    if response.status_code == 409 and answer["code"] == "pet_not_available":
        return None
    response.raise_for_status()
    return answer["id"]
